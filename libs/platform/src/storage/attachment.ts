/**
 * The value of `Content-Disposition` (RFC 6266) that lets a browser save a file under a name in any script. What could end the
 * header or lead out of a folder is replaced.
 */
export function attachment(fileName: string): string {
  // A lone surrogate could not be encoded.
  const safe = fileName.toWellFormed().replaceAll(/[\p{Cc}\p{Zl}\p{Zp}/\\]/gu, '_');
  const ascii = safe.replaceAll(/[^ -~]|["%]/g, '_');
  const encoded = encodeURIComponent(safe).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
