import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inProject } from './places.mjs';

const SOURCES = join('test', 'bench');

/** What `npm run bench` runs. */
export const BENCH_ENTRY = inProject('dist', 'test', 'bench', 'main.js');

/**
 * Puts the benchmark beside the built library that it measures, file by file; its types are `npm run check`'s to judge.
 * It takes a second, so it is done each time.
 */
export async function buildBench() {
  // Loaded only here: the packages may have been installed a moment ago.
  const { default: typescript } = await import('typescript');
  const { config } = typescript.readConfigFile(inProject('tsconfig.json'), typescript.sys.readFile);
  const { options } = typescript.convertCompilerOptionsFromJson(config.compilerOptions, inProject());
  // By itself, a file does not know that its package is one of ES modules.
  const { ESNext } = typescript.ModuleKind;
  const { Bundler } = typescript.ModuleResolutionKind;
  const compilerOptions = { ...options, module: ESNext, moduleResolution: Bundler, sourceMap: false };
  rmSync(inProject('dist', SOURCES), { recursive: true, force: true });
  for (const file of readdirSync(inProject(SOURCES), { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts') || file.endsWith('.spec.ts')) continue;
    const source = readFileSync(inProject(SOURCES, file), 'utf8');
    const fileName = inProject(SOURCES, file);
    const { outputText } = typescript.transpileModule(source, { fileName, compilerOptions });
    const target = inProject('dist', SOURCES, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, outputText);
  }
}
