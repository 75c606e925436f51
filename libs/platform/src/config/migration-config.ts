import { databaseUrl } from './database-url-variable.js';
import { EnvReading } from './variable.js';

/** What a command that works on the database alone takes from its environment. */
export interface MigrationConfig {
  readonly databaseUrl: string;
}

/** @throws {ConfigError} naming every wrong variable. */
export function loadMigrationConfig(env: NodeJS.ProcessEnv): MigrationConfig {
  return new EnvReading(env, { databaseUrl }).settle();
}
