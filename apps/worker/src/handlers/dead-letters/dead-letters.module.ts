import { Module } from '@nestjs/common';
import { DeadLettersWalk } from './dead-letters-walk.js';
import { DeleteDeadLettersHandler } from './delete-dead-letters.handler.js';
import { ReplayDeadLettersHandler } from './replay-dead-letters.handler.js';

/** Runs jobs of the types `dead-letters.replay` and `dead-letters.delete`. */
@Module({ providers: [DeadLettersWalk, ReplayDeadLettersHandler, DeleteDeadLettersHandler] })
export class DeadLettersModule {}
