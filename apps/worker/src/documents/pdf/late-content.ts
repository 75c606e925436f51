/**
 * What stands on every page and is known only at the end, such as how many pages there are: each page has a reference to it
 * (a form XObject; ISO 32000-1, 8.10), and it is written once, after the last page. So no page need be kept.
 */
export class LateContent {
  private readonly form: PDFKit.PDFKitReference;
  private readonly fonts: Record<string, unknown> = {};

  constructor(
    private readonly doc: PDFKit.PDFDocument,
    private readonly name: string,
    width: number,
    height: number,
  ) {
    this.form = doc.ref({
      Type: 'XObject',
      Subtype: 'Form',
      BBox: [0, 0, width, height],
      Resources: { Font: this.fonts },
    });
  }

  /** Puts it on the page that the document is at. */
  place(): void {
    (this.doc.page.xobjects as Record<string, unknown>)[this.name] = this.form; // The names of the page's forms.
    this.doc.addContent(`/${this.name} Do`);
  }

  /** What is drawn goes into it instead of the page. To be called once, before the document ends. */
  fill(draw: () => void): void {
    const { page } = this.doc;
    const { content } = page;
    page.content = this.form;
    draw();
    page.content = content;
    Object.assign(this.fonts, page.fonts);
    this.form.end(undefined);
  }
}
