import eslint from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

const SPECS = ['**/*.spec.ts', 'test/**/*.ts'];
const PLAIN = ['scripts/**/*.mjs', '*.js', '*.mjs'];

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
      // A payload class says what a payload looks like; whoever submits writes it as the literal it is on the wire.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // A Nest module is a class without a body: its decorator is the content. Static-only ones are dynamic modules.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
    },
  },
  {
    // This library loads no Nest, so its module has no decorator to be known by.
    files: ['libs/platform/src/**/*.module.ts'],
    rules: { '@typescript-eslint/no-extraneous-class': ['error', { allowStaticOnly: true }] },
  },
  {
    files: SPECS,
    rules: {
      // expect(service.method) hands the method to the matcher, which does not call it.
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: PLAIN,
    extends: [eslint.configs.recommended],
    // Names are looked up by tsc, which checks the scripts too.
    rules: { eqeqeq: 'error', 'no-undef': 'off' },
  },
  {
    files: ['scripts/**/*.mjs'],
    plugins: { '@typescript-eslint': tseslint.plugin },
    languageOptions: { parser: tseslint.parser, parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
    },
  },
);
