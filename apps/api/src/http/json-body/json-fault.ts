/** Why a text is not taken as JSON: `message` says what and where for people, `pointer` is the place (a URI fragment). */
export class JsonFault extends Error {
  override readonly name = 'JsonFault';

  constructor(
    message: string,
    readonly pointer: string,
  ) {
    super(message);
  }
}
