/* Preloaded, it is a kernel without IPv6 (ipv6.disable=1) as far as a program's sockets show: none of AF_INET6 is made. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol) {
	static int (*next)(int, int, int);
	if (!next)
		next = dlsym(RTLD_NEXT, "socket");
	if (domain == AF_INET6) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	return next(domain, type, protocol);
}
