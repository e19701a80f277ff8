#include <signal.h>

// METIS orders large graphs for CHOLMOD. Meanwhile it traps SIGTERM and SIGABRT for its own faults, with jumps back to
// its thread, whichever thread the signal finds; then it puts the handlers back without their flags, and with two
// threads in it, in the wrong order. Go dies of the next SIGTERM with a dump. The program's own definition comes before
// the C library's: METIS gets no trap, and a fault of its own ends the program. In a library, the host's comes first.
void (*__sysv_signal(int signal, void (*handler)(int)))(int)
{
	(void)signal;
	(void)handler;
	return SIG_DFL;
}
