/* Marks for a profiler: there is none, so they are nothing. */
#ifndef WG_HIP_PROFILE_H
#define WG_HIP_PROFILE_H

#define HIP_SCOPED_MARKER(name, group)
#define HIP_BEGIN_MARKER(name, group)
#define HIP_END_MARKER()

#endif
