#if !Tools
  #error("The command needs packages that an app does not: build with make, or with swift build --traits Tools.")
#endif
