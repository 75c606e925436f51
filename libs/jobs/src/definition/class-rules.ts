import { TransformationType } from 'class-transformer';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { getMetadataStorage, type ValidatorConstraintInterface } from 'class-validator';

/** What the class libraries keep of a payload's class. Their own types promise values where there are none. */

export type AnyClass = abstract new (...args: never[]) => object;

/** One rule of class-validator on one field. */
export interface Rule {
  readonly type: string;
  readonly name?: string | undefined;
  readonly propertyName: string;
  readonly constraints?: readonly unknown[] | undefined;
  readonly each?: boolean | undefined;
  readonly groups?: readonly string[] | undefined;
  readonly always?: boolean | undefined;
  readonly validateIf?: ((payload: object, value: unknown) => boolean) | undefined;
  /** Whose checks are run for it; none for a rule such as @ValidateNested. */
  readonly constraintCls?: NewableFunction | undefined;
}

/** What class-validator runs for a rule. */
export interface Check {
  readonly name: string;
  readonly async: boolean;
  readonly instance: ValidatorConstraintInterface;
}

/** What class-transformer was told of a field's type. */
export interface TypeRule {
  readonly typeFunction: (options?: { newObject: object; object: object; property: string }) => unknown;
  readonly options?: TypeOptions | undefined;
  /** The class in the field's declaration. */
  readonly reflectedType: unknown;
}

interface TypeOptions {
  readonly discriminator?: {
    readonly property: string;
    readonly subTypes: readonly { readonly name: string; readonly value: AnyClass }[];
  };
  readonly keepDiscriminatorProperty?: boolean;
}

/** The validation rules of a class, inherited ones too, by field; those and no others that validation without groups looks at. */
export function rulesByField(Class: AnyClass): ReadonlyMap<string, readonly Rule[]> {
  const fields = new Map<string, Rule[]>();
  for (const rule of getMetadataStorage().getTargetValidationMetadatas(Class, '', false, false)) {
    const known = fields.get(rule.propertyName);
    if (known === undefined) fields.set(rule.propertyName, [rule]);
    else known.push(rule);
  }
  return fields;
}

export function checksOf({ constraintCls }: Rule): readonly Check[] {
  return constraintCls === undefined ? [] : getMetadataStorage().getTargetValidatorConstraints(constraintCls);
}

export function typeRuleOf(Class: AnyClass, field: string): TypeRule | undefined {
  return defaultMetadataStorage.findTypeMetadata(Class, field);
}

export function transformsOf(Class: AnyClass, field: string) {
  return defaultMetadataStorage.findTransformMetadatas(Class, field, TransformationType.PLAIN_TO_CLASS);
}

/** Whether class-transformer was told to leave fields out or to name them otherwise. */
export function isReshaped(Class: AnyClass): boolean {
  const { length: exposed } = defaultMetadataStorage.getExposedMetadatas(Class);
  const { length: excluded } = defaultMetadataStorage.getExcludedMetadatas(Class);
  return exposed + excluded > 0 || defaultMetadataStorage.getStrategy(Class) !== 'none';
}

/** What class-transformer makes without rules of ours. */
const BUILT_IN: ReadonlySet<unknown> = new Set([String, Number, Boolean, Date, Buffer, Object, Array, Map, Set]);

export function isBuiltIn(type: unknown): boolean {
  return BUILT_IN.has(type);
}
