import { HttpException } from '@nestjs/common';

/** An error answer with a code of its own, where the status alone does not say enough. */
export class ProblemException extends HttpException {
  constructor(
    status: number,
    readonly code: string,
    detail: string,
  ) {
    super(detail, status);
  }
}
