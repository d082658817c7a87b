// d3 comes before the page's own modules, as one object.
declare const d3: any;
// So do the sentences of its tables of schemes and of figures, by name and by path in JSON, and the families of schemes.
declare const table_words: {schemes: Record<string, string>, figures: Record<string, string>,
  families: {name: string, words: string, schemes: string[]}[]};
// So does the program's table of a curve's figures (src/run/curve_figures.cpp), in the order of the menus.
declare const curve_figures: {key: string, axis: "over" | "shown", label: string, format: "bytes" | "duration" | "percent" | "significant"}[];
