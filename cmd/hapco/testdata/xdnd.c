/* Drops a file on the window of the display that takes drops, as a file manager does: the
 * source of the XDND protocol, version 5. The argument is the file's URI. It ends with
 * status 0 once the window has said that it took the file. */
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static Display *d;

static Atom atom(const char *name) { return XInternAtom(d, name, False); }

/* The child of the root window that says it is aware of XDND. */
static Window target(Window root)
{
	Window r, parent, *children, found = None;
	unsigned int n = 0;
	if (!XQueryTree(d, root, &r, &parent, &children, &n))
		return None;
	for (unsigned int i = 0; i < n; i++) {
		Atom type;
		int format;
		unsigned long items, left;
		unsigned char *data = NULL;
		if (XGetWindowProperty(d, children[i], atom("XdndAware"), 0, 1, False, XA_ATOM, &type, &format, &items, &left, &data) == Success && items == 1)
			found = children[i];
		if (data)
			XFree(data);
	}
	if (children)
		XFree(children);
	return found;
}

static void tell(Window to, const char *what, long a, long b, long c, long e, long f)
{
	XEvent m;
	memset(&m, 0, sizeof m);
	m.xclient.type = ClientMessage;
	m.xclient.window = to;
	m.xclient.message_type = atom(what);
	m.xclient.format = 32;
	long words[] = { a, b, c, e, f };
	memcpy(m.xclient.data.l, words, sizeof words);
	XSendEvent(d, to, False, NoEventMask, &m);
}

/* Gives the list of files to the window that asks for the selection. */
static void give(const XSelectionRequestEvent *ask, const char *list)
{
	XEvent m;
	memset(&m, 0, sizeof m);
	XChangeProperty(d, ask->requestor, ask->property, ask->target, 8, PropModeReplace, (const unsigned char *)list, (int)strlen(list));
	m.xselection.type = SelectionNotify;
	m.xselection.requestor = ask->requestor;
	m.xselection.selection = ask->selection;
	m.xselection.target = ask->target;
	m.xselection.property = ask->property;
	m.xselection.time = ask->time;
	XSendEvent(d, ask->requestor, False, NoEventMask, &m);
}

int main(int argc, char **argv)
{
	char list[4096];
	if (argc != 2 || !(d = XOpenDisplay(NULL)))
		return 2;
	snprintf(list, sizeof list, "%s\r\n", argv[1]);
	alarm(60);
	Window root = DefaultRootWindow(d), to = target(root), from = XCreateSimpleWindow(d, root, 0, 0, 1, 1, 0, 0, 0);
	if (to == None) {
		fputs("no window takes drops\n", stderr);
		return 1;
	}
	XSetSelectionOwner(d, atom("XdndSelection"), from, CurrentTime);
	tell(to, "XdndEnter", (long)from, 5L << 24, (long)atom("text/uri-list"), None, None);
	tell(to, "XdndPosition", (long)from, 0, 300L << 16 | 300, CurrentTime, (long)atom("XdndActionCopy"));
	for (;;) {
		XEvent e;
		XNextEvent(d, &e);
		if (e.type == SelectionRequest) {
			give(&e.xselectionrequest, list);
		} else if (e.type == ClientMessage && e.xclient.message_type == atom("XdndStatus")) {
			if (!(e.xclient.data.l[1] & 1)) {
				fputs("the window refuses the drop\n", stderr);
				return 1;
			}
			tell(to, "XdndDrop", (long)from, 0, CurrentTime, 0, 0);
		} else if (e.type == ClientMessage && e.xclient.message_type == atom("XdndFinished")) {
			/* the lowest bit should say so; GLFW puts the number of bytes there */
			return e.xclient.data.l[1] ? 0 : 1;
		}
	}
}
