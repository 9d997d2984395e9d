/* Shares.java: three quarters of its time is threeQuarters()'s, in turns too short to beat with a
 * sampler; beside it, one thread waits for an object and one for a connection. */
public class Shares {
	static volatile long sink;

	static void spin(long turns) {
		long sum = 0;
		for (long i = 0; i < turns; i++)
			sum += i * i ^ sum >> 3;
		sink = sum;
	}

	static void threeQuarters() {
		spin(9000000);
	}

	static void oneQuarter() {
		spin(3000000);
	}

	static void waitForever(Object object) {
		synchronized (object) {
			try {
				object.wait();
			} catch (InterruptedException e) {
				sink = 0;
			}
		}
	}

	static void acceptForever() {
		try (java.net.ServerSocket socket = new java.net.ServerSocket(0)) {
			socket.accept();
		} catch (java.io.IOException e) {
			sink = 0;
		}
	}

	public static void main(String[] args) {
		new Thread(() -> waitForever(new Object()), "waiter-7").start();
		new Thread(Shares::acceptForever, "acceptor-1").start();
		for (;;) {
			threeQuarters();
			oneQuarter();
		}
	}
}
