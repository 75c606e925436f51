/** There is no customer of that id. Nothing was written. */
export class UnknownCustomerError extends Error {
  override readonly name = 'UnknownCustomerError';
  readonly code = 'unknown_customer';

  constructor(
    readonly customerId: string,
    cause?: unknown,
  ) {
    super(`There is no customer "${customerId}".`, { cause });
  }
}
