#ifndef RAW_RECORDING_H
#define RAW_RECORDING_H

// Writes down the SQL of every statement that runs in this process, so that the copies of the engine's
// statements can be compared with what the engine really runs.

// Every connection opened from now on can be recorded. Not to be used while something is measured.
void raw_recording_install(void);
// Connections opened from now on cannot be recorded.
void raw_recording_uninstall(void);

void raw_recording_start(void);
// Ends the recording, and returns its statements, each followed by a 0x1E byte. Valid until the next start.
const char *raw_recording_stop(void);

#endif
