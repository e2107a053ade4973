/** The final check of an SVG before it leaves: it may contain nothing but shapes and text. */

const ELEMENTS = new Set(['svg', 'g', 'path', 'rect', 'line', 'circle', 'text', 'tspan', 'defs', 'clipPath', 'title']);
const TAG = /<(\/?)([A-Za-z][\w:.-]*)((?:\s+[A-Za-z][\w:.-]*="[^"<]*")*)\s*(\/?)>/uy;
const ATTRIBUTE = /\s+([A-Za-z][\w:.-]*)="([^"<]*)"/gu;
const NAMESPACES = new Set(['http://www.w3.org/2000/svg', 'http://www.w3.org/1999/xlink']);
/** XML 1.0 cannot represent these, not even as references. */
// oxlint-disable-next-line no-control-regex -- these are what is replaced
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu;

/**
 * @returns the SVG, safe to serve; what XML cannot represent becomes U+FFFD
 * @throws {Error} if it has an element, attribute or entity that a chart does not need
 */
export function safeSvg(raw: string): string {
  const svg = raw.toWellFormed().replaceAll(NOT_XML, '\ufffd');
  let at = 0;
  while (at < svg.length) {
    const next = svg.indexOf('<', at);
    checkText(svg.slice(at, next < 0 ? svg.length : next));
    if (next < 0) break;
    TAG.lastIndex = next;
    const [tag, , name = '', attributes = ''] = TAG.exec(svg) ?? [];
    if (tag === undefined || !ELEMENTS.has(name)) throw new Error(`An SVG may not have ${svg.slice(next, next + 40)}`);
    for (const [, attribute = '', value = ''] of attributes.matchAll(ATTRIBUTE)) checkAttribute(attribute, value);
    at = next + tag.length;
  }
  return svg;
}

function checkText(text: string): void {
  if (text.includes(']]>') || /&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);)/iu.test(text)) {
    throw new Error('Text in an SVG is not escaped');
  }
}

function checkAttribute(name: string, value: string): void {
  checkText(value);
  const isNamespace = name === 'xmlns' || name === 'xmlns:xlink';
  if (isNamespace ? !NAMESPACES.has(value) : /^(?:on|style$|src|xml)|href/iu.test(name)) {
    throw new Error(`An SVG may not have the attribute ${name}`);
  }
  if (!isNamespace && /url\((?!#)/iu.test(value) && !name.startsWith('aria-')) {
    throw new Error(`An SVG may not refer to ${value.slice(0, 60)}`);
  }
}
