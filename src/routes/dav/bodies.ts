// Bodies of XML.
import { createXmlReader, MAX_XML_BYTES, type XmlElement } from '../../dav/xml.ts'
import { readBytes } from '../../http/body.ts'
import { type Ctx, recheck } from '../../http/context.ts'
import type { Deps } from '../../http/deps.ts'
import { memo } from '../../lib/memo.ts'

export const XML_TYPE = { 'Content-Type': 'application/xml; charset=utf-8' }

const readerOf = memo((_deps: Deps) => createXmlReader())

/** The body as XML, null without one. Throws `bad_request`. */
export async function readXml(c: Ctx, deps: Deps): Promise<XmlElement | null> {
  const bytes = await readBytes(c, deps, MAX_XML_BYTES)
  recheck(c)
  return bytes.length === 0 ? null : await readerOf(deps)(bytes)
}
