// The first suite of this target replaces this file.
