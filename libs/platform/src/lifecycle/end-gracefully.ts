import type { Logger } from 'pino';

/** A Nest application, as far as its end is concerned. */
export interface Closable {
  close(signal?: string): Promise<void>;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ties the process to its application. SIGTERM and SIGINT close the application, then the process exits with 0; a second
 * signal exits at once with 1. An error that nobody caught leaves the program in an unknown state: it is logged, the
 * application is closed so that work in hand can settle, and the process exits with 1.
 */
export function endGracefully(app: Closable, logger: Logger): void {
  let exitCode = 0;
  let signalled = false;
  let ending = false;

  const end = async (signal?: string): Promise<void> => {
    if (ending) return;
    ending = true;
    try {
      await app.close(signal);
    } catch (err) {
      logger.fatal({ err }, 'closing the application failed');
      exitCode = 1;
    }
    process.exit(exitCode);
  };

  for (const signal of SIGNALS) {
    process.on(signal, () => {
      if (signalled) {
        logger.fatal({ signal }, 'second signal, leaving at once');
        process.exit(1);
      }
      signalled = true;
      logger.info({ signal }, 'closing down, a second signal leaves at once');
      void end(signal);
    });
  }
  // Rejections that nobody handled arrive here too.
  process.on('uncaughtException', (err, origin) => {
    logger.fatal({ err, origin }, 'nobody caught an error, closing down');
    exitCode = 1;
    void end();
  });
}
