import { MailTemplate, type TemplateSources } from './mail-template.js';

const sources: TemplateSources = {
  layout: '<title>{{subject}}</title><main>{{> @partial-block}}</main>',
  subject: 'Hello {{name}}\n',
  html: '{{#> layout}}<p title="{{name}}">{{name}}, {{count}} {{flag}}</p>{{/layout}}',
  text: 'Hello {{name}}, {{count}} {{flag}}\n',
};

describe('a mail template', () => {
  it('escapes variables in HTML, and nowhere else', () => {
    const mail = MailTemplate.compile(sources).render({ name: `<b onclick='x'>"Budi" & \`co\`</b>`, count: 0, flag: false });
    expect(mail.subject).toBe(`Hello <b onclick='x'>"Budi" & \`co\`</b>`);
    expect(mail.text).toBe(`Hello <b onclick='x'>"Budi" & \`co\`</b>, 0 false\n`);
    const escaped = '&lt;b onclick&#x3D;&#x27;x&#x27;&gt;&quot;Budi&quot; &amp; &#x60;co&#x60;&lt;/b&gt;';
    expect(mail.html.trim()).toBe(`<title>Hello ${escaped}</title><main><p title="${escaped}">${escaped}, 0 false</p></main>`);
  });

  it('does not take a variable for a template', () => {
    const mail = MailTemplate.compile(sources).render({ name: '{{count}}', count: 7, flag: true });
    expect(mail.text).toBe('Hello {{count}}, 7 true\n');
  });

  it('prefers a given subject and takes it as it stands', () => {
    const mail = MailTemplate.compile(sources).render({ name: 'Budi', count: 1, flag: true }, 'News for {{name}} & all');
    expect(mail.subject).toBe('News for {{name}} & all');
    expect(mail.html).toContain('<title>News for {{name}} &amp; all</title>');
  });

  it('knows which variables it needs, whichever file names them', () => {
    const template = MailTemplate.compile({ ...sources, subject: 'For {{order_id}}', text: '{{#if vip}}Dear {{/if}}{{name}}' });
    expect(template.variables).toEqual(['count', 'flag', 'name', 'order_id', 'vip']);
    expect(template.missing({ name: 'Budi', count: 1 })).toEqual(['flag', 'order_id', 'vip']);
    expect(template.missing({ name: '', count: 0, flag: false, order_id: 1, vip: false, extra: 'ignored' })).toEqual([]);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty'])('does not find %s in what objects inherit', (name) => {
    const template = MailTemplate.compile({ ...sources, text: `{{${name}}}` });
    expect(template.missing({ name: 'Budi', count: 1, flag: true })).toEqual([name]);
    expect(() => template.render({ name: 'Budi', count: 1, flag: true })).toThrow();
    const given = template.render({ name: 'Budi', count: 1, flag: true, [name]: 'given' });
    expect(given.text).toBe('given');
  });

  it.each<[string, Partial<TemplateSources>, RegExp]>([
    ['an open block', { html: '{{#if name}}never closed' }, /^html\.hbs: Parse error on line 1/],
    ['an unknown helper', { text: '{{shout name}}' }, /^text\.hbs: .*unknown helper shout/],
    ['an unknown partial', { html: '{{> footer}}' }, /^html\.hbs: the partial "footer" is not known here\.$/],
    [
      'a partial that is computed',
      { html: '{{> (lookup . "name")}}' },
      /^html\.hbs: the partial "\(computed\)" is not known here\.$/,
    ],
    ['a layout around a text', { text: '{{#> layout}}x{{/layout}}' }, /^text\.hbs: the partial "layout" is not known here\.$/],
    ['unescaped HTML', { html: '{{{name}}}' }, /^html\.hbs: "name" would be printed unescaped: write \{\{name\}\}\.$/],
    ['unescaped HTML in the layout', { layout: '{{&subject}}' }, /^layout\.hbs: "subject" would be printed unescaped/],
  ])('is refused with %s', (_fault, wrong, message) => {
    expect(() => MailTemplate.compile({ ...sources, ...wrong })).toThrow(message);
  });
});
