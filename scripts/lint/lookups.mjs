/**
 * A plugin of the linter with one rule, `lookups/no-plain-object`: what is declared as `Record<string, …>`
 * and written as an object with members is not indexed by a variable. A name from outside, such as a header or a code,
 * finds what every object inherits: `constructor`, `toString`, `__proto__`. Use a `Map`, or ask `Object.hasOwn` first, in the same
 * function.
 */
const noPlainObject = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const names = new Set();
    const asked = [];
    const indexed = [];
    const textOf = (node) => context.sourceCode.getText(node);
    /** Whether the same function has asked before with `Object.hasOwn(object, name)`, for this object and this name. */
    const isAsked = (node) =>
      asked.some(
        ({ call, object, name }) =>
          object === node.object.name &&
          name === textOf(node.property) &&
          call.range[0] < node.range[0] &&
          functionOf(call) === functionOf(node),
      );
    return {
      VariableDeclarator({ id, init }) {
        if (
          id.type === 'Identifier' &&
          init?.type === 'ObjectExpression' &&
          init.properties.length > 0 &&
          isRecordOfTexts(id.typeAnnotation)
        )
          names.add(id.name);
      },
      CallExpression(call) {
        const {
          callee,
          arguments: [object, name],
        } = call;
        const isHasOwn =
          callee.type === 'MemberExpression' &&
          callee.object.name === 'Object' &&
          callee.property.name === 'hasOwn';
        if (isHasOwn && object?.type === 'Identifier' && name)
          asked.push({ call, object: object.name, name: textOf(name) });
      },
      MemberExpression(node) {
        if (node.computed && node.property.type !== 'Literal') indexed.push(node);
      },
      'Program:exit'() {
        for (const node of indexed)
          if (names.has(node.object.name) && !isAsked(node))
            context.report({
              node,
              message: `${node.object.name} is indexed by a variable: make it a Map, or ask Object.hasOwn first, in the same function.`,
            });
      },
    };
  },
};

/** The innermost function around a node; undefined at the top of a module. */
function functionOf({ parent }) {
  if (!parent || /Function/.test(parent.type)) return parent ?? undefined;
  return functionOf(parent);
}

/** `Record<string, …>`, also within `Readonly<…>` or `Partial<…>`, and `{ [name: string]: … }`. */
function isRecordOfTexts(annotation) {
  const type = annotation?.typeAnnotation ?? annotation;
  if (type?.type === 'TSTypeLiteral')
    return type.members.some(({ type: kind }) => kind === 'TSIndexSignature');
  if (type?.type !== 'TSTypeReference') return false;
  const [first] = (type.typeArguments ?? type.typeParameters)?.params ?? [];
  if (type.typeName.name === 'Record') return first?.type === 'TSStringKeyword';
  return ['Readonly', 'Partial'].includes(type.typeName.name) && isRecordOfTexts(first);
}

export default { meta: { name: 'lookups' }, rules: { 'no-plain-object': noPlainObject } };
