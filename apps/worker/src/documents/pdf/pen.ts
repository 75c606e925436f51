import type { Direction } from './face.js';
import type { TextLine } from './lines.js';

export interface Ink {
  /** In points. */
  readonly size: number;
  /** `#rrggbb` */
  readonly color: string;
}

/** Draws on the page that the document is at. Lengths are in points, from the left and the top. */
export class Pen {
  private readonly known = new Set<string>();

  constructor(private readonly doc: PDFKit.PDFDocument) {}

  text(line: TextLine, x: number, baseline: number, { size, color }: Ink): void {
    this.doc.fillColor(color).fontSize(size);
    let at = x;
    for (const { face, text, direction, width } of line.runs) {
      if (!this.known.has(face.name)) {
        // It takes whatever has the methods of a font; its types know files alone.
        this.doc.registerFont(face.name, face.font as unknown as Uint8Array);
        this.known.add(face.name);
      }
      if (face.outline > 0)
        this.doc
          .strokeColor(color)
          .lineJoin('round')
          .lineWidth(face.outline * size);
      this.doc.font(face.name).text(text, at, baseline, textOptions(direction, width * size, face.outline > 0));
      at += width * size;
    }
  }

  rule(x: number, y: number, width: number, thickness: number, color: string): void {
    this.box(x, y - thickness / 2, width, thickness, color);
  }

  box(x: number, y: number, width: number, height: number, color: string): void {
    this.doc.rect(x, y, width, height).fill(color);
  }
}

function textOptions(direction: Direction, textWidth: number, hasOutline: boolean): PDFKit.Mixins.TextOptions {
  const options = {
    lineBreak: false,
    baseline: 'alphabetic',
    // Handed on to Face.
    features: [direction],
    // Known already, so it need not be measured again.
    textWidth,
    wordCount: 1,
    fill: true,
    stroke: hasOutline,
  };
  return options as unknown as PDFKit.Mixins.TextOptions; // Its types know neither such features nor the width.
}
