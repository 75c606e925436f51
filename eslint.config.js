import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const SPECS = ['**/*.spec.ts', 'test/**/*.ts'];
const SCRIPTS = ['scripts/**/*.mjs', '*.js', '*.mjs'];

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', 'coverage/', '.cache/', '.data/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: ['**/*.ts'],
    extends: [eslint.configs.recommended, tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      'no-console': 'error',
      eqeqeq: 'error',
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/prefer-readonly': 'error',
      // A leading _ says: the signature is given, the value is not needed.
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      // Numbers are what messages are made of.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // A Nest module is a class without a body: its decorator is the content. Static-only ones are dynamic modules.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
    },
  },
  {
    files: SPECS,
    rules: {
      // expect(service.method) hands the method to the matcher, which does not call it.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    // A benchmark prints its figures.
    files: ['test/bench/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: SCRIPTS,
    extends: [eslint.configs.recommended],
    languageOptions: {
      globals: {
        AbortSignal: 'readonly',
        Buffer: 'readonly',
        URL: 'readonly',
        clearInterval: 'readonly',
        clearTimeout: 'readonly',
        console: 'readonly',
        fetch: 'readonly',
        process: 'readonly',
        setInterval: 'readonly',
        setTimeout: 'readonly',
      },
    },
    rules: { eqeqeq: 'error' },
  },
);
