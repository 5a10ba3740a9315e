// Style of the API page: the same roles and measures as the interface, light and dark by the system.
export const PAGE_STYLE = `
:root{color-scheme:light;--canvas:#f4f6f9;--surface:#fff;--sunken:#f0f3f7;--line:#e2e7ee;
--text:#141b26;--text-2:#485468;--text-3:#5f6b7e;--accent:#1f5fd6;--accent-soft:#e3edff;
--get:#1f5fc4;--post:#1a7a45;--put:#8f5600;--patch:#6d43c9;--delete:#c4282d;
--sh:0 1px 2px rgb(16 24 40/.07)}
@media (prefers-color-scheme:dark){:root{color-scheme:dark;--canvas:#0d1015;--surface:#151920;
--sunken:#10141a;--line:#262d38;--text:#e9edf3;--text-2:#b3bcca;--text-3:#8c97a8;--accent:#7aabff;
--accent-soft:#1b2f52;--get:#7db0ff;--post:#6bd199;--put:#f0b860;--patch:#b397ff;--delete:#ff8b86;
--sh:0 1px 2px rgb(0 0 0/.4)}}
*{box-sizing:border-box}
html{scroll-padding-block-start:4.5rem}
body{margin:0;background:var(--canvas);color:var(--text);font:.875rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
code,pre{font-family:ui-monospace,"SF Mono","Cascadia Code",Menlo,Consolas,monospace;font-size:.8125rem}
a{color:var(--accent);text-decoration:none}a:hover{text-decoration:underline}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px;border-radius:4px}
.skip{position:absolute;inset-inline-start:-999rem}.skip:focus{inset:.5rem auto auto .5rem;z-index:9;background:var(--surface);padding:.5rem 1rem;border-radius:8px}
header{position:sticky;inset-block-start:0;z-index:2;display:flex;align-items:center;gap:1rem;justify-content:space-between;
min-block-size:3.5rem;padding-inline:1.5rem;background:var(--surface);border-block-end:1px solid var(--line)}
h1{margin:0;font-size:1.125rem;font-weight:600}h1 span{color:var(--text-3);font-weight:400;margin-inline-start:.5rem}
.download{padding:.375rem .75rem;border:1px solid var(--line);border-radius:8px;color:var(--text-2);white-space:nowrap}
.columns{display:grid;grid-template-columns:19rem minmax(0,1fr);max-inline-size:88rem;margin-inline:auto}
nav{position:sticky;inset-block-start:3.5rem;align-self:start;max-block-size:calc(100vh - 3.5rem);overflow:auto;padding:1rem 1rem 3rem}
nav summary{padding:.5rem;font-weight:600;cursor:pointer}
@supports selector(::details-content){@media (min-width:60.01rem){nav summary{display:none}nav details::details-content{content-visibility:visible;display:block}}}
nav h2{margin:1rem .5rem .25rem;font-size:.75rem;font-weight:600;color:var(--text-3)}
nav h2 a{color:inherit}
nav ul{list-style:none;margin:0;padding:0}
nav li a{display:flex;gap:.5rem;padding:.25rem .5rem;border-radius:6px;color:var(--text-2);font-size:.8125rem;line-height:1.4}
nav li a:hover{background:var(--accent-soft);text-decoration:none}
b[class]{font:600 .6875rem/1.9 ui-monospace,Menlo,Consolas,monospace;text-transform:uppercase;flex:none;inline-size:3.25rem}
b.get,b.head{color:var(--get)}b.post{color:var(--post)}b.put{color:var(--put)}b.patch{color:var(--patch)}b.delete{color:var(--delete)}
main{padding:1.5rem;min-inline-size:0}
main>section>h2{margin:2.5rem 0 0;font-size:1.375rem;font-weight:600}
.intro{max-inline-size:46rem}.intro p:first-child{margin-block-start:0}.lead{margin:.25rem 0 1rem;color:var(--text-2)}
article{margin-block:1rem;padding:1rem 1.25rem 1.25rem;background:var(--surface);border:1px solid var(--line);border-radius:12px;box-shadow:var(--sh)}
article:target{border-color:var(--accent)}
h3{margin:0;font-size:1rem}h3 a{color:inherit;display:flex;flex-wrap:wrap;gap:.25rem .5rem;align-items:baseline;overflow-wrap:anywhere}
h3 code{font-size:.9375rem}
h4{margin:1rem 0 .25rem;font-size:.75rem;font-weight:600;color:var(--text-3)}
.summary{margin:.25rem 0;font-size:1rem}.access{margin:.25rem 0;color:var(--text-3)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;inline-size:100%}
th,td{padding:.375rem .75rem .375rem 0;border-block-start:1px solid var(--line);text-align:start;vertical-align:top}
th{font-weight:400;white-space:nowrap}td:last-child{padding-inline-end:0}
td{color:var(--text-2);min-inline-size:6rem}td:last-child{min-inline-size:12rem}
.optional{display:block;color:var(--text-3);font-size:.75rem}
pre{margin:1rem 0 0;padding:.75rem 1rem;background:var(--sunken);border-radius:8px;overflow-x:auto;color:var(--text-2)}
@media (max-width:60rem){.columns{display:block}nav{position:static;max-block-size:none;padding-block-end:0}
main{padding:1rem}header{padding-inline:1rem}
h1 span{display:block;margin:0;font-size:.75rem}}
@media print{nav,header .download{display:none}.columns{display:block}article{break-inside:avoid}}
`
