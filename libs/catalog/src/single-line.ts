/** Text without line breaks and other control characters (C0, DEL, C1, U+2028, U+2029): safe in a mail's header field. */
// eslint-disable-next-line no-control-regex -- control characters are what it looks for; `\p{Cc}` is unknown to many readers of JSON schemas
export const SINGLE_LINE = /^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]*$/;
