/** Whether a name is one of a comma list of names, in which `*` stands for any text. */
export function namePattern(list: string): (name: string) => boolean {
  const alternatives = list.split(',').map((pattern) => pattern.split('*').map(literally).join('.*'));
  const pattern = new RegExp(`^(?:${alternatives.join('|')})$`);
  return (name) => pattern.test(name);
}

function literally(text: string): string {
  return text.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&');
}
