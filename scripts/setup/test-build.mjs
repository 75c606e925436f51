import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inProject } from './places.mjs';

/** What `npm run bench` runs. */
export const BENCH_ENTRY = inProject('dist', 'test', 'bench', 'main.js');
/** What `npm run chaos` runs. */
export const CHAOS_ENTRY = inProject('dist', 'test', 'chaos', 'main.js');

/** The benchmark, beside the built library that it measures. */
export function buildBench() {
  return build(['bench']);
}

/** The fault campaign, beside the built applications that it runs. */
export function buildChaos() {
  return build(['chaos', 'support']);
}

/**
 * Builds folders of `test`, file by file; their types are `npm run check`'s to judge. It takes a second, so it is done each time.
 * @param {readonly string[]} folders
 */
async function build(folders) {
  // Loaded only here: the packages may have been installed a moment ago.
  const { default: typescript } = await import('typescript');
  const { config } = typescript.readConfigFile(inProject('tsconfig.json'), typescript.sys.readFile);
  const { options } = typescript.convertCompilerOptionsFromJson(config.compilerOptions, inProject());
  // By itself, a file does not know that its package is one of ES modules.
  const { ESNext } = typescript.ModuleKind;
  const { Bundler } = typescript.ModuleResolutionKind;
  const compilerOptions = { ...options, module: ESNext, moduleResolution: Bundler, sourceMap: false };
  for (const sources of folders.map((folder) => join('test', folder))) {
    rmSync(inProject('dist', sources), { recursive: true, force: true });
    for (const file of readdirSync(inProject(sources), { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || /\.(?:spec|d)\.ts$/.test(file)) continue;
      const source = readFileSync(inProject(sources, file), 'utf8');
      const fileName = inProject(sources, file);
      const { outputText } = typescript.transpileModule(source, { fileName, compilerOptions });
      const target = inProject('dist', sources, file.replace(/\.ts$/, '.js'));
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, outputText);
    }
  }
}
