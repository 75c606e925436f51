/** What keeps a text from being the URL of a request, whatever its host; undefined when nothing does. */
export function urlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'must be an https: or http: URL';
  return url.username === '' && url.password === '' ? undefined : 'must not hold a user or a password';
}
