import {
  checksOf,
  isBuiltIn,
  isReshaped,
  rulesByField,
  transformsOf,
  typeRuleOf,
  type AnyClass,
  type Check,
  type Rule,
} from './class-rules.js';
import { isReadable } from './payload-faults.js';

type Fields = Readonly<Record<string, unknown>>;

/** One field of a class with its rules laid ready. */
interface PlannedField {
  readonly name: string;
  /** The plan of the class that its value, or each entry of it, is made an instance of. */
  readonly inner: PayloadPlan | undefined;
  /** All must answer true, else the other rules are not looked at. */
  readonly conditions: readonly ((payload: object, value: unknown) => unknown)[];
  readonly checks: readonly { readonly rule: Rule; readonly check: Check }[];
  readonly isNested: boolean;
}

const plans = new WeakMap<AnyClass, PayloadPlan | null>();

/** The plan of a class; undefined when only the class libraries can handle it. */
export function planOf(Class: AnyClass): PayloadPlan | undefined {
  let plan = plans.get(Class);
  if (plan === undefined) {
    plan = planned(Class);
    plans.set(Class, plan);
  }
  return plan ?? undefined;
}

function planned(Class: AnyClass): PayloadPlan | null {
  try {
    return new PayloadPlan(Class, new Map());
  } catch {
    // Also when a constructor or a type function of the class's author throws: the libraries will come upon it.
    return null;
  }
}

/**
 * Makes and checks payloads of one class as class-transformer and class-validator do, but many times as fast: they look all rules
 * up anew for every object. Where the plan is not sure it says so, and they are to decide; every refusal is theirs.
 */
class PayloadPlan {
  private readonly fields = new Map<string, PlannedField>();
  /** Every object comes with a field that has no rule, which is an unknown one at a submit. */
  private readonly hasUnknownField: boolean;

  /** @throws {TypeError} when there is no planning for the class */
  constructor(
    private readonly Class: AnyClass,
    plans: Map<AnyClass, PayloadPlan>,
  ) {
    plans.set(Class, this);
    demand(!isReshaped(Class));
    for (const [name, rules] of rulesByField(Class)) this.fields.set(name, planField(Class, name, rules, plans));
    this.hasUnknownField = Object.keys(this.bare()).some((name) => !this.fields.has(name));
  }

  /**
   * An instance from parsed JSON, whose parts without a class it takes over as they are; undefined when not sure.
   * @param onlyKnown whether fields without rules are refused.
   */
  make(plain: object, onlyKnown: boolean): object | undefined {
    if (onlyKnown && this.hasUnknownField) return undefined;
    const instance = this.bare();
    for (const key of Object.keys(plain)) {
      const field = this.fields.get(key);
      if (field === undefined && (onlyKnown || !this.isPlain(key))) return undefined;
      const value = (plain as Fields)[key];
      const made = field?.inner === undefined ? takenOver(value) : field.inner.makeEach(value, onlyKnown);
      if (made === undefined) return undefined;
      instance[key] = made;
    }
    return instance;
  }

  /** Whether all rules hold for sure. */
  holds(instance: object): boolean {
    for (const field of this.fields.values()) {
      const value = (instance as Fields)[field.name];
      if (!field.conditions.every((condition) => condition(instance, value))) continue;
      for (const { rule, check } of field.checks) if (!this.passes(rule, check, instance, value)) return false;
      if (field.isNested && value !== undefined && field.inner?.holdsForEach(value) !== true) return false;
    }
    return true;
  }

  private passes(rule: Rule, { instance }: Check, object: object, value: unknown): boolean {
    if (rule.validateIf?.(object, value) === false) return true;
    const { propertyName: property, constraints } = rule;
    const args = { targetName: this.Class.name, property, object, value, constraints: constraints as unknown[] };
    if (rule.each === true && Array.isArray(value)) return value.every((entry) => instance.validate(entry, args) === true);
    return instance.validate(value, args) === true;
  }

  private makeEach(value: unknown, onlyKnown: boolean): unknown {
    if (typeof value !== 'object' || value === null) return value;
    if (!Array.isArray(value)) return this.make(value, onlyKnown);
    const made = value.map((entry) => this.makeEach(entry, onlyKnown));
    return made.includes(undefined) ? undefined : made;
  }

  private holdsForEach(value: unknown): boolean {
    if (Array.isArray(value)) return value.every((entry) => this.holdsForEach(entry));
    // What is no object breaks the rule.
    return isInstance(value, this.Class) && this.holds(value);
  }

  /** An instance with its defaults only, made as class-transformer makes it. */
  private bare(): Record<string, unknown> {
    return new (this.Class as new () => Record<string, unknown>)();
  }

  private isPlain(key: string): boolean {
    return (
      !isOwnWorking(this.Class, key) && transformsOf(this.Class, key).length === 0 && typeRuleOf(this.Class, key) === undefined
    );
  }
}

function planField(Class: AnyClass, name: string, rules: readonly Rule[], plans: Map<AnyClass, PayloadPlan>): PlannedField {
  demand(!isOwnWorking(Class, name) && transformsOf(Class, name).length === 0);
  const inner = planInner(Class, name, plans);
  const checks = rules.flatMap((rule) =>
    checksOf(rule).map(({ name, async, instance }) => ({ rule, check: { name, async, instance } })),
  );
  demand(checks.every(({ check }) => !check.async));
  const isNested = rules.some(({ type }) => type === 'nestedValidation');
  demand(rules.every(({ type }) => PLANNED_RULES.has(type)) && (inner !== undefined || !isNested));
  // What @ValidateIf was given.
  const conditions = rules.filter(({ type }) => type === 'conditionalValidation').map(({ constraints }) => constraints?.[0]);
  return { name, inner, conditions: conditions as PlannedField['conditions'], checks, isNested };
}

const PLANNED_RULES: ReadonlySet<string> = new Set([
  'customValidation',
  'isDefined',
  'nestedValidation',
  'conditionalValidation',
  'whitelistValidation',
]);

function planInner(Class: AnyClass, name: string, plans: Map<AnyClass, PayloadPlan>): PayloadPlan | undefined {
  const rule = typeRuleOf(Class, name);
  if (rule === undefined) return undefined;
  // One with parameters looks at the data.
  demand(rule.typeFunction.length === 0 && rule.options?.discriminator === undefined);
  const type = rule.typeFunction();
  demand(
    typeof type === 'function' &&
      !isBuiltIn(type) &&
      ([type, Array, Object, undefined] as unknown[]).includes(rule.reflectedType),
  );
  const Inner = type as AnyClass; // Checked above, as far as it can be: class-transformer calls it with `new`.
  return plans.get(Inner) ?? new PayloadPlan(Inner, plans);
}

/** Names of methods, accessors and of what every object has; class-transformer skips some of them. */
function isOwnWorking(Class: AnyClass, key: string): boolean {
  return key in (Class.prototype as object);
}

/** Of that very class: one derived from it may have rules of its own. */
function isInstance(value: unknown, Class: AnyClass): value is object {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Class.prototype;
}

/** What has no class: itself, or undefined when the libraries would change it. */
function takenOver(value: unknown): unknown {
  return typeof value !== 'object' || value === null || isReadable(value) ? value : undefined;
}

function demand(condition: boolean): asserts condition {
  if (!condition) throw new TypeError('There is no plan for this class.');
}
