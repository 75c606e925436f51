/** The Idempotency-Key stands for another order. Nothing was written. */
export class OrderKeyReusedError extends Error {
  override readonly name = 'OrderKeyReusedError';
  readonly code = 'idempotency_key_reused';

  /** @param orderId of that other one. */
  constructor(readonly orderId: string) {
    super('was used before, with another body');
  }
}
