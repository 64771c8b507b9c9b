import { formatDocument as formatJson } from './format-document.ts';

const formatDocument = (document: unknown, columns: number) => formatJson(JSON.stringify(document), columns);

describe('A document on a terminal', () => {
  it('is a line for each field, and a section for each object', () => {
    const document = {
      merchantId: 'mer_1',
      paused: null,
      parts: ['ingest', 'delivery'],
      counts: { rewards: 3, none: [] },
    };
    expect(formatDocument(document, 80)).toBe(
      [
        'merchantId  mer_1',
        'paused      –',
        'parts       ingest, delivery',
        'counts',
        '  rewards  3',
        '  none     none',
      ].join('\n'),
    );
  });

  it('is a table when its rows fit, with Korean texts in their columns', () => {
    const merchants = [
      { id: 'mer_1', name: '한글 상점', owners: ['a@example.com'] },
      { id: 'mer_22', name: 'Shop', extra: { nested: true } },
    ];
    expect(formatDocument({ merchants }, 80)).toBe(
      [
        'merchants (2)',
        '  id      name       owners         extra',
        '  mer_1   한글 상점  a@example.com  –',
        '  mer_22  Shop       –              {"nested":true}',
      ].join('\n'),
    );
  });

  it('is a list of records when a table would be too wide, and no value is cut', () => {
    const secret = `svc_sk_${'x'.repeat(200)}`;
    const text = formatDocument(
      {
        keys: [
          { id: 'key_1', secret },
          { id: 'key_2', secret },
        ],
      },
      40,
    );
    expect(text.split(secret)).toHaveLength(3);
    expect(text.split('\n')).toHaveLength(6);
  });

  it('has no control characters of stored texts', () => {
    const text = formatDocument({ name: '\u001B[2J\u202Ename\nsecond line' }, 80);
    expect(text).toBe(String.raw`name  \u001b[2J\u202ename\u000asecond line`);
  });

  it('of an empty list says so', () => {
    expect(formatDocument([], 80)).toBe('none');
    expect(formatDocument({ merchants: [] }, 80)).toBe('merchants  none');
  });
});
