/** The environment is wrong. The message names every wrong variable, one a line, and never shows a secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly code = 'invalid_config';

  /** @param faults what is wrong, by the variable's name. */
  constructor(readonly faults: ReadonlyMap<string, string>) {
    const lines = [...faults].map(([variable, fault]) => `  ${variable}: ${fault}`);
    super(
      `The configuration is wrong, nothing was started. Mend ${faults.size === 1 ? 'this variable' : 'these variables'}:\n${lines.join('\n')}`,
    );
  }
}
