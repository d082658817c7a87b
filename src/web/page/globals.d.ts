// d3 comes before the page's own modules, as one object.
declare const d3: any;
// So does the program's table of a curve's figures (src/run/curve_figures.cpp), in the order of the menus.
declare const curve_figures: {key: string, axis: "over" | "shown", label: string, format: "bytes" | "duration" | "percent" | "significant"}[];
