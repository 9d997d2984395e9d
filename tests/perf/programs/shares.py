"""shares.py FILE: faulthandler looks at it 200 times: three quarters of its time is three_quarters's."""
import faulthandler, sys, threading


def spin(turns):
    total = 0
    for i in range(turns):
        total += i * i
    return total


def three_quarters():
    spin(9000)


def one_quarter():
    spin(3000)


def waiter(ever):
    ever.wait()


threading.Thread(target=waiter, args=(threading.Event(),), daemon=True).start()
with open(sys.argv[1], "w") as told:
    faulthandler.dump_traceback_later(0.01, repeat=True, file=told)
    while open(sys.argv[1]).read().count("Timeout") < 200:
        for _ in range(20):
            three_quarters()
            one_quarter()
    faulthandler.cancel_dump_traceback_later()
