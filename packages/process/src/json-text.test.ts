import { JsonText, toJsonText } from './json-text.ts';

describe('toJsonText', () => {
  it('An object is serialized as JSON.stringify does it, and text within it is kept as it is', () => {
    const fields = { 'a"b': 1, none: undefined, nothing: null, list: [{ c: '\n' }] };
    expect(toJsonText(fields).text).toBe(JSON.stringify(fields));
    const document = toJsonText({ ...fields, items: new JsonText('[{"z": 1,  "a": 2}]') });
    expect(document.text).toContain('"items":[{"z": 1,  "a": 2}]');
    expect(JSON.parse(toJsonText({ data: document }).text)).toEqual({
      data: { 'a"b': 1, nothing: null, list: [{ c: '\n' }], items: [{ z: 1, a: 2 }] },
    });
  });
});
