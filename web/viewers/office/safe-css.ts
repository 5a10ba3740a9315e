// Style sheets of documents: parsed by the browser first, so that no spelling hides anything, then
// freed from what loads files and from what could cover the page's own controls.

/** A sheet for `adoptedStyleSheets` of a shadow root. Rules that cannot be checked are dropped. */
export function cleanSheet(css: string): CSSStyleSheet {
  const sheet = new CSSStyleSheet()
  // Constructed sheets ignore @import by definition.
  sheet.replaceSync(css)
  cleanRules(sheet)
  return sheet
}

function cleanRules(group: CSSStyleSheet | CSSGroupingRule) {
  for (let at = group.cssRules.length - 1; at >= 0; at--) {
    const rule = group.cssRules[at]
    if (rule instanceof CSSStyleRule && !/:host|::part|::slotted/i.test(rule.selectorText)) {
      cleanDeclarations(rule.style)
    } else if (rule instanceof CSSMediaRule || rule instanceof CSSSupportsRule) {
      cleanRules(rule)
    } else {
      group.deleteRule(at)
    }
  }
}

/** Removes what fetches something or leaves the document's own box. */
export function cleanDeclarations(style: CSSStyleDeclaration) {
  for (const name of [...style]) {
    const value = style.getPropertyValue(name)
    const loads = /url\(|image-set\(|image\(|src\(/i.test(value)
    const escapes = name === 'position' && /fixed|sticky/i.test(value)
    if (loads || escapes || name === 'z-index' || name.startsWith('--')) style.removeProperty(name)
  }
}
