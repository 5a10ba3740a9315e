// Small PDFs that take whoever draws them much time or memory.
import { deflateSync } from 'node:zlib'

/** A kilobyte whose page is filled anew so often that it takes hours, and little memory. */
export function slowPdf(): Buffer {
  const shading =
    '<< /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 200 200] /Extend [true true] ' +
    '/Function << /FunctionType 2 /Domain [0 1] /C0 [1 0 0] /C1 [0 0 1] /N 1.5 >> >>'
  const drawing = deflateSync('/S sh '.repeat(100_000))
  return onePage(`/Shading << /S ${shading} >>`, [stream('/Filter /FlateDecode', drawing)])
}

/** Two kilobytes: ten times a form of ten times a form and so on, which fills all memory there is. */
export function swellingPdf(): Buffer {
  const levels = 9
  const form = '/Type /XObject /Subtype /Form /BBox [0 0 200 200]'
  const forms = Array.from({ length: levels }, (_, level) =>
    level === levels - 1
      ? stream(form, '0 0 10 10 re f')
      : stream(`${form} /Resources << /XObject << /X ${6 + level} 0 R >> >>`, '/X Do '.repeat(10)),
  )
  return onePage('/XObject << /X 5 0 R >>', [stream('', '/X Do'), ...forms])
}

/** `objects` from number 4, which is what is on the page. Readers find them without a table. */
function onePage(resources: string, objects: Buffer[]): Buffer {
  const all = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R ' +
      `/Resources << ${resources} >> >>`,
    ...objects,
  ]
  const parts = all.flatMap((object, index) => [`${index + 1} 0 obj\n`, object, '\nendobj\n'])
  const whole = ['%PDF-1.7\n', ...parts, 'trailer\n<< /Root 1 0 R >>\n%%EOF\n']
  return Buffer.concat(whole.map((part) => Buffer.from(part as string)))
}

function stream(dictionary: string, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content as string)
  const head = `<< ${dictionary} /Length ${bytes.length} >>\nstream\n`
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\nendstream')])
}
