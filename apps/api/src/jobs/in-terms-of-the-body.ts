import { InvalidOptionsError, InvalidPayloadError, type Violation } from '@antrean/jobs';

/**
 * The queue speaks of its own arguments; the client knows only its body.
 * @param payloadAt where in the body the payload stood, as a JSON pointer.
 */
export function inTermsOfTheBody(error: unknown, payloadAt: '' | '/payload'): unknown {
  if (error instanceof InvalidPayloadError) {
    return new InvalidPayloadError(
      error.type,
      moved(error.violations, (pointer) => `${payloadAt}${pointer}`),
    );
  }
  if (error instanceof InvalidOptionsError) {
    return new InvalidOptionsError(moved(error.violations, (pointer) => `/options${pointer.replace(/^\/\w+/, toFieldName)}`));
  }
  return error;
}

function moved(violations: readonly Violation[], move: (pointer: string) => string): readonly Violation[] {
  return violations.map(({ pointer, detail }) => ({ pointer: move(pointer), detail }));
}

/** `/timeoutMs` is `/timeout_sec` to the client. */
function toFieldName(optionName: string): string {
  return optionName.replace(/Ms$/, 'Sec').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
