import 'reflect-metadata';
import { writeFile } from 'node:fs/promises';
import { committedDocument } from './committed-document.js';

/** `npm run openapi`: writes openapi.json into the working directory. */
await writeFile('openapi.json', await committedDocument());
