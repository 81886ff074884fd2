#if !Tools
  #error("The command needs more packages than an app does: build with make, or with --traits Tools.")
#endif
