/* The end by a signal: Ctrl-C, a closed terminal, kill. The process ends of the signal as it
 * would have, and its temporary folders are removed behind it. A command that has an end of its own
 * for them (a batch that finishes its rows) installs its handlers afterwards. */
#ifndef WG_INTERRUPT_H
#define WG_INTERRUPT_H

void wg_interrupt_init(void);

#endif
