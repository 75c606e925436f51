import { oneLine, smtpError } from './smtp-errors.js';

/** An error as nodemailer makes it. */
function fault(
  message: string,
  fields: { readonly code: string; readonly responseCode?: number; readonly response?: string },
): Error {
  return Object.assign(new Error(message), fields);
}

const reply = (response: string) =>
  fault(`Failed: ${response}`, { code: 'EENVELOPE', responseCode: Number(response.slice(0, 3)), response });

describe('an SMTP error', () => {
  it.each([
    '421 4.7.0 Try again later',
    '450 4.2.1 Mailbox busy',
    '451 4.3.0 Local error',
    '452 4.2.2 Full',
    '454 4.7.0 Temporary authentication failure',
  ])('passes when the server said %s', (response) => {
    expect(smtpError(reply(response), true)).toMatchObject({
      message: `The mail server refused: ${response}`,
      code: `smtp_${response.slice(0, 3)}`,
      fate: 'not_taken',
      permanent: false,
    });
  });

  it.each([
    '503 5.5.1 Bad sequence',
    '535 5.7.8 Bad credentials',
    '550 5.1.1 No such user',
    '552 5.3.4 Too big',
    '554 5.7.1 Refused',
  ])('is permanent when the server said %s', (response) => {
    expect(smtpError(reply(response), true)).toMatchObject({
      message: `The mail server refused: ${response}`,
      code: `smtp_${response.slice(0, 3)}`,
      fate: 'not_taken',
      permanent: true,
    });
  });

  it.each([
    ['535 5.7.8 refused command "AUTH PLAIN AGFuYQBzM2NyM3Q="', 535],
    ['454 4.7.0 s3cr3t is not checked now', 454],
  ])('of a login tells no more than the code: %s', (response, responseCode) => {
    const error = smtpError(fault(`Invalid login: ${response}`, { code: 'EAUTH', responseCode, response }), false);
    expect(error.message).toBe(`The mail server refused the user and password of SMTP_URL (${responseCode})`);
    expect(error.cause).toBeUndefined();
  });

  it.each(['ECONNECTION', 'ESOCKET', 'ETIMEDOUT', 'EDNS', 'ETLS', 'EPROTOCOL', 'EAUTH'])(
    '%s passes, and only after the hand-over is the fate unknown',
    (code) => {
      const error = fault('Connection closed unexpectedly', { code });
      const common = { code: `smtp_${code.toLowerCase()}`, permanent: false };
      expect(smtpError(error, false)).toMatchObject({
        ...common,
        message: 'The mail could not be handed to the mail server: Connection closed unexpectedly',
        fate: 'not_taken',
      });
      expect(smtpError(error, true)).toMatchObject({
        ...common,
        message:
          'The mail was handed to the mail server, and whether the server took it is not known: Connection closed unexpectedly',
        fate: 'unknown',
      });
    },
  );

  it('does not take an acceptance that came at the wrong moment for a refusal', () => {
    const error = fault('Unexpected Response', { code: 'EPROTOCOL', responseCode: 250, response: '250 Ok' });
    expect(smtpError(error, true)).toMatchObject({ fate: 'unknown', permanent: false });
  });

  it('is permanent when the mail is larger than the server says it takes', () => {
    const error = fault('Message size larger than allowed 10', { code: 'EMESSAGE' });
    expect(smtpError(error, false)).toMatchObject({ code: 'smtp_emessage', fate: 'not_taken', permanent: true });
  });

  it.each([undefined, null, 'text', {}])('can be anything: %j', (thrown) => {
    expect(smtpError(thrown, false)).toMatchObject({ code: 'smtp_error', fate: 'not_taken', permanent: false });
  });
});

describe('a server text', () => {
  it('is put on one line and cut by characters', () => {
    expect(oneLine(' 550-No\r\n550 such\u0007user ')).toBe('550-No 550 such user');
    expect(oneLine('🎉'.repeat(501))).toBe('🎉'.repeat(500));
  });
});
