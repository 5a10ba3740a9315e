"""The sample font in the other formats: outlines of OpenType (CFF), and WOFF. Needs fonttools.

    sample-fonts.py letters.ttf letters.otf letters.woff
"""

import sys

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.t2CharStringPen import T2CharStringPen
from fontTools.ttLib import TTFont

source, otf, woff = sys.argv[1:]
font = TTFont(source)
glyphs = font.getGlyphSet()
order = font.getGlyphOrder()
outlines = {}
for name in order:
    pen = T2CharStringPen(font['hmtx'][name][0], glyphs)
    glyphs[name].draw(pen)
    outlines[name] = pen.getCharString()
names = font['name']
made = FontBuilder(font['head'].unitsPerEm, isTTF=False)
made.setupGlyphOrder(order)
made.setupCharacterMap(font.getBestCmap())
made.setupCFF(names.getDebugName(6), {'FullName': names.getDebugName(4)}, outlines, {})
made.setupHorizontalMetrics({name: font['hmtx'][name] for name in order})
made.setupHorizontalHeader(ascent=font['hhea'].ascent, descent=font['hhea'].descent)
made.setupNameTable(
    {'familyName': names.getDebugName(1), 'styleName': names.getDebugName(2)}
)
made.setupOS2(usWinAscent=font['OS/2'].usWinAscent, usWinDescent=font['OS/2'].usWinDescent)
made.setupPost()
made.save(otf)
font.flavor = 'woff'
font.save(woff)
