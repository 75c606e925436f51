import { ConfigError } from '../config/config-error.js';

/** The configuration; when it is wrong, says so on standard error (the log's own settings may be what is wrong) and exits with 1. */
export function configOrExit<C>(load: (env: NodeJS.ProcessEnv) => C): C {
  try {
    return load(process.env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}
