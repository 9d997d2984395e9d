/* Failing.java: fails 400 times: 100 times once, 300 times with a cause and something suppressed. */
public class Failing {
	static void inner(int turn) {
		java.util.List.of(turn).forEach(n -> {
			throw new IllegalStateException("at turn " + n + " (of 400)");
		});
	}

	static void wrap(int turn) {
		try {
			inner(turn);
		} catch (RuntimeException e) {
			RuntimeException wrapped = new RuntimeException("wrapped", e);

			wrapped.addSuppressed(new Exception("closing"));
			throw wrapped;
		}
	}

	static void fail() {
		throw new UnsupportedOperationException("one");
	}

	public static void main(String[] args) {
		for (int i = 0; i < 400; i++) {
			try {
				if (i % 4 == 3)
					fail();
				else
					wrap(i);
			} catch (RuntimeException e) {
				System.err.println("2024-05-01 12:00:00 ERROR at turn " + i + " (again)");
				e.printStackTrace();
			}
		}
	}
}
