/* Recorded.java: MILLISECONDS of work, three quarters of it heavy()'s; between it, it allocates, throws, reads a file,
 * and waits for a monitor that another thread holds while it sleeps. That one also parks; a third one waits for a
 * connection. */
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.ServerSocket;
import java.util.concurrent.locks.LockSupport;

public class Recorded {
	static volatile long sink;
	static final Object monitor = new Object();

	static void spin(long turns) {
		long sum = 1;
		for (long i = 0; i < turns; i++)
			sum = sum * 6364136223846793005L + 1442695040888963407L;
		sink += sum;
	}

	static void heavy() {
		spin(3000000);
	}

	static void light() {
		spin(1000000);
	}

	static void allocate() {
		for (int i = 0; i < 2000; i++)
			sink += new byte[1 << 12].length;
	}

	static void contend() {
		synchronized (monitor) {
			try {
				Thread.sleep(30);
			} catch (InterruptedException e) {
				sink = 0;
			}
		}
	}

	static void fail() {
		try {
			throw new IllegalStateException("no");
		} catch (IllegalStateException e) {
			sink++;
		}
	}

	static void read(String file) throws IOException {
		try (RandomAccessFile in = new RandomAccessFile(file, "r")) {
			in.read(new byte[1000]);
		}
	}

	static void listen(int milliseconds) {
		try (ServerSocket server = new ServerSocket(0)) {
			server.setSoTimeout(milliseconds);
			server.accept();
		} catch (IOException e) {
			sink++;
		}
	}

	static void waitInTurns(long end) {
		while (System.nanoTime() < end) {
			contend();
			LockSupport.parkNanos(25000000);
		}
	}

	public static void main(String[] args) throws IOException {
		int milliseconds = Integer.parseInt(args[0]);
		long end = System.nanoTime() + milliseconds * 1000000L;

		new Thread(() -> waitInTurns(end), "contender").start();
		new Thread(() -> listen(milliseconds), "listener").start();
		while (System.nanoTime() < end) {
			for (int i = 0; i < 20; i++) {
				heavy();
				light();
			}
			allocate();
			contend();
			fail();
			read(args[1]);
		}
	}
}
