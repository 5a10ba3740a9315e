// Markdown in which a line opens more than anybody means: quotes and lists within each other.

/**
 * Parsers of Markdown go through the rest of a line for every level, so that a hundred thousand marks
 * hold up the page for seconds before they fail.
 */
const MAX_NESTING = 250
const tooDeep = new RegExp(
  `^(?:[ \\t]*(?:>|(?:[-+*]|\\d{1,9}[.)])[ \\t])){${MAX_NESTING + 1}}`,
  'm',
)

/** True when the text should be given to no parser of Markdown. */
export function isNestedTooDeep(text: string): boolean {
  return tooDeep.test(text)
}
