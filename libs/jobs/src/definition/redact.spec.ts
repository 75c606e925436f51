import 'reflect-metadata';
import { Expose, Type } from 'class-transformer';
import { IsDefined, IsObject, IsOptional, IsString, ValidateNested } from 'class-validator';
import { defineJob, type PayloadClass } from './job-definition.js';
import { redact, REDACTED } from './redact.js';
import { Sensitive } from './sensitive.decorator.js';
import { unchecked } from './unchecked-payload.js';

class Card {
  @IsString()
  holder!: string;

  @Sensitive()
  @IsString()
  number!: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => Card)
  former?: Card;
}

class Cash {
  @IsString()
  note!: string;
}

class Account {
  @Sensitive()
  @IsString()
  password!: string;
}

class Payload extends Account {
  @IsString()
  user!: string;

  @Sensitive()
  @IsDefined()
  secrets!: unknown;

  @ValidateNested()
  @Type(() => Card)
  card!: Card;

  @ValidateNested({ each: true })
  @Type(() => Card)
  cards!: Card[];

  @ValidateNested()
  @Type(() => Object, {
    discriminator: {
      property: 'kind',
      subTypes: [
        { name: 'card', value: Card },
        { name: 'cash', value: Cash },
      ],
    },
  })
  paidBy!: Card | Cash;

  /** Nothing says that it is made an instance, but it is declared as one. */
  @IsObject()
  declared!: Card;

  @ValidateNested()
  @Type((options) => ((options?.object as { user: string }).user === 'throws' ? refuse() : Card))
  depending!: Card;

  @Sensitive()
  @Expose({ name: 'pin_code' })
  @IsString()
  pinCode!: string;

  @IsObject()
  free!: object;

  withoutRule = 1;
}

function refuse(): never {
  throw new Error('Hands off.');
}

const show = (plain: unknown, payload: PayloadClass = Payload) => redact(defineJob('order.pay', { payload }), plain);

describe('redact', () => {
  it('hides marked fields whatever their value, inherited ones too, and shows the rest', () => {
    const plain = { user: 'budi', password: 'p', free: { password: 'q' }, withoutRule: 2 };
    for (const secrets of ['s', 1, null, ['s'], { deep: 's' }]) {
      expect(show({ ...plain, secrets })).toEqual({ ...plain, password: REDACTED, secrets: REDACTED });
    }
  });

  it('hides the marked fields of nested objects, one by one and in lists', () => {
    const card = { holder: 'budi', number: '4711' };
    const hidden = { holder: 'budi', number: REDACTED };
    expect(show({ card, cards: [card, [card], null, 'text'], declared: card, depending: card })).toEqual({
      card: hidden,
      cards: [hidden, [hidden], null, 'text'],
      declared: hidden,
      depending: hidden,
    });
    expect(show({ card: { ...card, former: { ...card, former: card } } })).toEqual({
      card: { ...hidden, former: { ...hidden, former: hidden } },
    });
  });

  it('hides what any of the classes that a field may hold has marked', () => {
    expect(show({ paidBy: { number: '4711', note: 'n' } })).toEqual({ paidBy: { number: REDACTED, note: 'n' } });
  });

  it('hides a field under the name it has in JSON', () => {
    expect(show({ pin_code: '1234' })).toEqual({ pin_code: REDACTED });
  });

  it('hides what the class does not know, as it may come from another version', () => {
    const odd = JSON.parse('{"passwd":"p","__proto__":"q","card":{"cvc":"1"}}') as unknown;
    expect(JSON.stringify(show(odd))).toBe(`{"passwd":"${REDACTED}","__proto__":"${REDACTED}","card":{"cvc":"${REDACTED}"}}`);
  });

  it('hides an object whose type cannot be told', () => {
    expect(show({ user: 'throws', depending: { holder: 'budi' } })).toEqual({ user: 'throws', depending: REDACTED });
  });

  it('shows an unchecked payload whole', () => {
    expect(show({ password: 'p' }, unchecked())).toEqual({ password: 'p' });
  });

  it('changes nothing in what it is given, and copes with what is no object', () => {
    const plain = { password: 'p', cards: [{ number: '1' }] };
    show(plain);
    expect(plain).toEqual({ password: 'p', cards: [{ number: '1' }] });
    for (const odd of [null, 'text', 1, [], undefined]) expect(show(odd)).toEqual(odd);
  });
});
